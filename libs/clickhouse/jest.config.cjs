module.exports = { ...require('../../jest.preset.cjs'), displayName: 'clickhouse', rootDir: __dirname };
