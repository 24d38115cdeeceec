module.exports = { ...require('../../jest.preset.cjs'), displayName: 'a2a', rootDir: __dirname };
