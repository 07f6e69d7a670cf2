ENV["RAILS_ENV"] ||= "test"
require_relative "../config/environment"
require "rails/test_help"

class ActiveSupport::TestCase
  parallelize(workers: 2, with: :processes) if ENV["WORKERS"]
  fixtures :all
end
