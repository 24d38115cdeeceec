const { stopPostgresOfRun } = require('./postgres-of-run.ts');
module.exports = stopPostgresOfRun;
