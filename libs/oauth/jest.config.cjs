module.exports = { ...require('../../jest.preset.cjs'), displayName: 'oauth', rootDir: __dirname };
