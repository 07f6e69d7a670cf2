# This file is auto-generated from the current state of the database. Instead
# of editing this file, please use the migrations feature of Active Record to
# incrementally modify your database, and then regenerate this schema definition.
#
# This file is the source Rails uses to define your schema when running `bin/rails
# db:schema:load`. When creating a new database, `bin/rails db:schema:load` tends to
# be faster and is potentially less error prone than running all of your
# migrations from scratch. Old migrations may fail to apply correctly if those
# migrations use external dependencies or application code.
#
# It's strongly recommended that you check this file into your version control system.

ActiveRecord::Schema.define(version: 2026_01_01_000000) do

  # These are extensions that must be enabled in order to support this database
  enable_extension "pg_trgm"
  enable_extension "plpgsql"

  create_table "directors", force: :cascade do |t|
    t.string "name", null: false
    t.datetime "created_at", precision: 6, null: false
    t.datetime "updated_at", precision: 6, null: false
    t.index ["name"], name: "index_directors_on_name", unique: true
  end

  create_table "films", force: :cascade do |t|
    t.bigint "director_id", null: false
    t.string "title", null: false
    t.integer "made", default: 0, null: false
    t.integer "kind", default: 0, null: false
    t.jsonb "awards", default: {}, null: false
    t.string "tags", default: [], array: true
    t.numrange "price"
    t.interval "runs"
    t.datetime "created_at", precision: 6, null: false
    t.datetime "updated_at", precision: 6, null: false
    t.index "lower((title)::text)", name: "films_lower_title"
    t.index ["awards"], name: "index_films_on_awards", using: :gin
    t.index ["director_id"], name: "index_films_on_director_id"
    t.check_constraint "made >= 0", name: "films_made"
  end

  add_foreign_key "films", "directors"
end
