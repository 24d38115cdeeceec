module.exports = { ...require('../../jest.preset.cjs'), displayName: 'cloud-identities', rootDir: __dirname };
