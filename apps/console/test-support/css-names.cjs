// Stands for every style sheet in tests: a CSS module gives each class under its own name.
module.exports = new Proxy({}, { get: (_, name) => (name === '__esModule' ? false : String(name)) });
