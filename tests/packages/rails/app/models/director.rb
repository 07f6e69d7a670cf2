class Director < ApplicationRecord
  has_many :films, dependent: :destroy
end
