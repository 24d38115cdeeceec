module.exports = { ...require('../../jest.preset.cjs'), displayName: 'a2a-client', rootDir: __dirname };
