require "pathname"
require "logger"
