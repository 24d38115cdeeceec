module.exports = { ...require('../../jest.preset.cjs'), displayName: 'auth-scopes', rootDir: __dirname };
