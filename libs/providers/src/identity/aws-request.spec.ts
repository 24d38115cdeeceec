import { VendorError } from '@gw/kernel';
import { isAwsSigned } from '@gw/testing';
import { awsRequestHeaders, type AwsRequest } from './aws-request';

const ID = 'AKIDSTUB00000000SELF';
const SECRET = 'stub+own/secret0123456789';
const KEY = { access_key_id: ID, region: 'eu-central-1', service: 'bedrock-agentcore' };
const REQUEST: AwsRequest = {
  ...{ method: 'POST', url: 'https://mcp.example.com:8443/mcp?b=2&a=1', body: Buffer.from('{"a":"ä"}') },
};

const headersOf = (key: object, secret = SECRET) =>
  awsRequestHeaders({ aws_sigv4: key }, secret, REQUEST, Date.now());
const isSigned = (sent: Partial<AwsRequest>): boolean => {
  const { method, url, body } = { ...REQUEST, ...sent };
  const { host, pathname, search } = new URL(url);
  const headers = { ...headersOf(KEY), host };
  const received = { method, url: `${pathname}${search}`, headers, body: body ?? Buffer.alloc(0) };
  return isAwsSigned(received as never, KEY.service, { [ID]: { secret: SECRET } });
};

describe('awsRequestHeaders', () => {
  it('creates a signature that is valid only for the signed request', () => {
    expect(isSigned({})).toBe(true);
    expect(isSigned({ method: 'DELETE' })).toBe(false);
    expect(isSigned({ url: 'https://other.example.com/mcp?b=2&a=1' })).toBe(false);
    expect(isSigned({ url: 'https://mcp.example.com:8443/admin' })).toBe(false);
    expect(isSigned({ body: Buffer.from('{"a":"b"}') })).toBe(false);
  });

  it('contains no secret', () => {
    expect(Object.keys(headersOf(KEY))).toEqual(['x-amz-date', 'authorization']);
    expect(JSON.stringify(headersOf(KEY))).not.toContain(SECRET);
  });

  it.each([
    ['no key', {}, SECRET],
    ['no secret', KEY, ''],
    ['a region that breaks out of the scope', { ...KEY, region: 'eu/s3' }, SECRET],
    ['a service with a line break', { ...KEY, service: 'a\nb' }, SECRET],
    ['an id that adds a parameter', { ...KEY, access_key_id: `${ID}, Signature=0` }, SECRET],
  ])('throws for %s', (_what, key, secret) => {
    expect(() => headersOf(key, secret)).toThrow(VendorError);
  });
});
