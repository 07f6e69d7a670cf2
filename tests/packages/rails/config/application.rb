require "rails"
require "active_record/railtie"
require "rails/test_unit/railtie"

module Films
  class Application < Rails::Application
    config.load_defaults 6.1
    config.eager_load = false
    config.secret_key_base = "films"
  end
end
