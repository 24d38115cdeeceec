module.exports = { ...require('../../jest.preset.cjs'), displayName: 'prompts', rootDir: __dirname };
