class Film < ApplicationRecord
  belongs_to :director
  attribute :runs, :interval
  enum kind: { silent: 0, sound: 1 }
  validates :title, presence: true, uniqueness: { scope: :director_id }
  scope :early, -> { where(made: ...1930) }
end
