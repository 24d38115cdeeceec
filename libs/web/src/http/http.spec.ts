import { BadRequestException, NotFoundException } from '@nestjs/common';
import { GatewayError } from '@gw/kernel';
import { assertMatches, etagOf } from '../etag';
import { createLog, describeFault } from '../logger';
import { toPublicError } from './error-mapping';
import { requestIdOf } from './request-id';
import { RouteTable } from './route-table';

describe('toPublicError', () => {
  it('keeps our own errors and hides all others', () => {
    const own = new GatewayError('not_found');
    expect(toPublicError(own)).toBe(own);
    for (const thrown of [new Error('secret'), 'secret', null, undefined, 7, { statusCode: 'x' }]) {
      const error = toPublicError(thrown);
      expect(error.type).toBe('internal_error');
      expect(JSON.stringify(error.toBody('1'))).not.toContain('secret');
    }
  });

  it('maps errors by the code of Fastify, then by the status', () => {
    expect(toPublicError(Object.assign(new Error(), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' })).type).toBe(
      'body_too_large',
    );
    expect(toPublicError(Object.assign(new Error(), { statusCode: 415 })).type).toBe(
      'content_type_unsupported',
    );
    expect(toPublicError(new NotFoundException('Cannot GET /secret')).type).toBe('route_not_found');
    expect(toPublicError(new BadRequestException('text with secret')).message).not.toContain('secret');
    expect(toPublicError(Object.assign(new Error(), { code: 'constructor' })).type).toBe('internal_error');
  });

  it('describes faults without values of database rows', () => {
    const cause = Object.assign(new Error('duplicate key'), {
      code: '23505',
      constraint: 'a_uq',
      detail: 'Key (secret)=(hunter2) already exists.',
      parameters: ['hunter2'],
    });
    const described = describeFault(new GatewayError('internal_error', { cause }));
    expect(JSON.stringify(described)).not.toContain('hunter2');
    expect(described['cause']).toMatchObject({ code: '23505', constraint: 'a_uq' });
  });

  it('logs no headers, passwords and keys that are in a record', () => {
    const lines: string[] = [];
    const log = createLog('test', 'info', { write: (line: string) => void lines.push(line) });
    log.info({ headers: { a: 'hunter2' }, password: 'hunter2', call: { apiKey: 'hunter2' } }, 'x');
    expect(lines.join('')).not.toContain('hunter2');
    expect(lines).toHaveLength(1);
  });
});

describe('assertMatches', () => {
  it('accepts the etag of the version, a list that contains it, a star, or a missing header', () => {
    for (const given of [undefined, '*', etagOf({ version: 7 }), '"1", "7"']) {
      expect(() => {
        assertMatches(given, { version: 7 });
      }).not.toThrow();
    }
    for (const given of ['', '"6"', '7', 'W/"7"']) {
      expect(() => {
        assertMatches(given, { version: 7 });
      }).toThrow(expect.objectContaining({ type: 'etag_mismatch', status: 412 }) as Error);
    }
  });
});

describe('requestIdOf', () => {
  it('returns the id of the caller if it is a plain token, and a new id otherwise', () => {
    const of = (given?: string): string =>
      requestIdOf({ headers: given === undefined ? {} : { 'x-gw-request-id': given } });
    expect(of('abc-1.2:3_4')).toBe('abc-1.2:3_4');
    for (const given of [undefined, '', 'a b', 'a\n', 'x'.repeat(129), 'ü'])
      expect(of(given)).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('RouteTable', () => {
  it('finds the methods of a path with parameters, and matches literal segments exactly', () => {
    const table = new RouteTable();
    table.add('GET', '/v1/keys/:id');
    table.add(['PUT', 'DELETE'], '/v1/keys/:id');
    table.add('POST', '/v1/keys/:id/rotate');
    table.add('GET', '/a.b');
    table.add('GET', '/docs/*');
    expect(table.methodsOf('/v1/keys/7?x=1')).toEqual(['DELETE', 'GET', 'PUT']);
    expect(table.methodsOf('/v1/keys/7/rotate')).toEqual(['POST']);
    expect(table.methodsOf('/v1/keys/')).toEqual([]);
    expect(table.methodsOf('/axb')).toEqual([]);
    expect(table.methodsOf('/docs/x')).toEqual([]);
    expect(table.all()).toHaveLength(6);
  });
});
