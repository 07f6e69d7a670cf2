class CreateFilms < ActiveRecord::Migration[6.1]
  def change
    enable_extension "pg_trgm"
    create_table :directors do |t|
      t.string :name, null: false, index: { unique: true }
      t.timestamps
    end
    create_table :films do |t|
      t.references :director, null: false, foreign_key: true
      t.string :title, null: false
      t.integer :made, :kind, null: false, default: 0
      t.jsonb :awards, null: false, default: {}
      t.string :tags, array: true, default: []
      t.numrange :price
      t.interval :runs
      t.timestamps
    end
    add_index :films, :awards, using: :gin
    add_index :films, "lower(title)", name: "films_lower_title"
    add_check_constraint :films, "made >= 0", name: "films_made"
  end
end
