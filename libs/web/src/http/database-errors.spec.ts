import { GatewayError } from '@gw/kernel';
import { toPublicError } from './error-mapping';

const withCode = (code: string): Error => Object.assign(new Error('a secret of the driver'), { code });

describe('toPublicError of database errors', () => {
  it.each([
    ['refused connections', withCode('ECONNREFUSED')],
    ['refused connections to several addresses', new AggregateError([withCode('ECONNREFUSED')])],
    ['connections that broke', new Error('Connection terminated unexpectedly')],
    ['no connection of the pool in time', new Error('timeout exceeded when trying to connect')],
    ['no response in time', new Error('Query read timeout')],
    ['a shutdown', Object.assign(new Error('failed'), { driverError: withCode('57P01') })],
    ['a start', withCode('57P03')],
    [
      'a lock that was waited for too long',
      Object.assign(new Error('f'), { driverError: withCode('55P03') }),
    ],
    ['a statement that took too long', withCode('57014')],
    ['a read-only database', withCode('25006')],
    ['too many connections', withCode('53300')],
    ['a full disk', withCode('53100')],
    ['a deadlock', withCode('40P01')],
    ['a serialisation failure', withCode('40001')],
    ['a connection exception, as the cause', new Error('f', { cause: withCode('08006') })],
  ])('returns 503 unavailable with Retry-After for %s', (_what, thrown) => {
    const error = toPublicError(thrown);
    expect([error.status, error.type]).toEqual([503, 'unavailable']);
    expect(error.options.headers).toEqual({ 'retry-after': '2' });
    expect(JSON.stringify(error.toBody('id'))).not.toContain('secret');
  });

  it.each([
    ['a syntax error', withCode('42601')],
    ['a statement that breaks the protocol', withCode('08P01')],
    ['a duplicate', withCode('23505')],
    ['anything else', new Error('x')],
    ['no error', 'ECONNREFUSED'],
  ])('returns internal_error for %s', (_what, thrown) => {
    expect(toPublicError(thrown).type).toBe('internal_error');
  });

  it('leaves our own errors unchanged', () => {
    const own = new GatewayError('not_found', { cause: withCode('ECONNREFUSED') });
    expect(toPublicError(own)).toBe(own);
  });
});
