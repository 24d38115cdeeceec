export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres';
export { EmbeddedPostgresError } from './embedded-postgres-error';
export { freeInnerPort, INNER_PORTS } from './inner-port';
