/**
 * Lets commands to Redis wait for a minute where the product waits for a second, because a busy
 * machine may not run a process for longer. Commands still fail at once without a connection, and
 * times that a caller states apply.
 */
jest.mock('../../../redis/src/connection', () => {
  const actual = jest.requireActual('../../../redis/src/connection');
  const connectRedis = (options) => actual.connectRedis({ commandTimeoutMs: 60_000, ...options });
  return { ...actual, connectRedis };
});
