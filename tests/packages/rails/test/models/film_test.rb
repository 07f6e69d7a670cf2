require "test_helper"

class FilmTest < ActiveSupport::TestCase
  def assert_fails(error, &block)
    assert_raises(error) { Film.transaction(requires_new: true, &block) }
  end

  test "fixtures and scopes" do
    assert_equal ["Metropolis"], Film.early.pluck(:title)
    assert_equal [films(:m)], directors(:lang).films.sound.to_a
  end

  test "types come back" do
    film = directors(:murnau).films.create!(title: "Nosferatu", made: 1922, awards: { "x" => [1, nil] }, tags: ["a,b", "c\"d"],
                                            price: 1..2.5, runs: 94.minutes)
    film.reload
    assert_equal({ "x" => [1, nil] }, film.awards)
    assert_equal ["a,b", "c\"d"], film.tags
    assert_equal 94.minutes, film.runs
    assert_equal 1, Film.where("awards @> ?", { x: [1] }.to_json).count
  end

  test "constraints are told apart" do
    assert_fails(ActiveRecord::RecordNotUnique) { Director.create!(name: "Fritz Lang") }
    assert_fails(ActiveRecord::InvalidForeignKey) { Director.where(name: "Fritz Lang").delete_all }
    assert_fails(ActiveRecord::NotNullViolation) { Film.new(director: directors(:lang)).save!(validate: false) }
    assert_fails(ActiveRecord::StatementInvalid) { films(:m).update_columns(made: -1) }
  end

  test "nested transactions roll back" do
    Film.transaction do
      Film.transaction(requires_new: true) do
        directors(:lang).films.create!(title: "Fury", made: 1936)
        raise ActiveRecord::Rollback
      end
      directors(:lang).films.create!(title: "Spies", made: 1928)
    end
    assert_equal %w[M Metropolis Spies], Film.order(:title).pluck(:title)
  end

  test "upserts, batches, locks and explain" do
    Director.upsert_all([{ name: "Fritz Lang", created_at: Time.now, updated_at: Time.now }, { name: "Ophüls", created_at: Time.now, updated_at: Time.now }],
                        unique_by: :name)
    assert_equal 3, Director.count
    assert_equal 2, Film.find_each(batch_size: 1).to_a.size
    films(:m).with_lock { films(:m).update!(made: 1932) }
    assert_match(/Film/i, Film.where(made: 1932).explain)
  end

  test "one of many workers has a database of its own" do
    assert_match(/\Afilms_test(-\d)?\z/, Film.connection.current_database)
  end
end
