module.exports = { ...require('../../jest.preset.cjs'), displayName: 'entities', rootDir: __dirname };
