module.exports = { ...require('../../jest.preset.cjs'), displayName: 'dialects', rootDir: __dirname };
