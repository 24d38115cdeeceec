import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpIntegrationEntity } from '@gw/entities';
import { createAddressPolicy, VendorError } from '@gw/kernel';
import { OutboundClient } from '@gw/outbound';
import type { McpSecrets } from '../../platform/mcp/mcp-secrets.service';
import type { SharedHeaders } from '../../platform/upstreams/shared-headers.service';
import { McpReadError } from './mcp-source';
import { McpUpstreams } from './mcp-upstreams.service';

describe('McpUpstreams', () => {
  const policy = createAddressPolicy({ trustedHosts: ['127.0.0.1'] });
  const client = new OutboundClient({
    ...{ policy, maxConnectionsPerOrigin: 2, maxPools: 2, keepAliveTimeoutMs: 1_000 },
  });
  let silent: Server;
  afterEach(() => jest.restoreAllMocks());
  beforeAll(async () => {
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    client.close();
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });

  /** Describes a server within a millisecond. `headersOf` obtains its credential. */
  function failure(headersOf: SharedHeaders['headersOf']): Promise<unknown> {
    const url = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}/mcp`;
    const row = { id: 'i', organisationId: 'o', url, transport: 'http', authType: 'headers' };
    const shared = { headersOf } as SharedHeaders;
    const upstreams = new McpUpstreams(client, {} as McpSecrets, shared, { client, policy });
    return upstreams.describe(row as McpIntegrationEntity, 1).then(
      () => null,
      (error: unknown) => error,
    );
  }
  /** Fails to obtain a credential after the time has passed. */
  function lateFailure(error: Error): Promise<unknown> {
    jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
    return failure(() => Promise.reject(error));
  }

  it('reports the time-out of a server that does not respond', async () => {
    const error = await failure(() => Promise.resolve({}));
    expect(error).toBeInstanceOf(McpReadError);
    expect(error).toMatchObject({ message: 'It was not read within 0.001 s.' });
  });

  it('reports why a credential could not be obtained, also after the time-out', async () => {
    const error = await lateFailure(new VendorError('unreachable', 'The vault is sealed.'));
    expect(error).toBeInstanceOf(McpReadError);
    expect(error).toMatchObject({ message: 'Its credential could not be obtained: The vault is sealed.' });
  });

  it('hides no fault of the control plane behind the time-out', async () => {
    const fault = new TypeError('a bug');
    expect(await lateFailure(fault)).toBe(fault);
  });
});
