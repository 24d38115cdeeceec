import type * as Net from 'node:net';
import type * as Tls from 'node:tls';
import type { LookupAddress } from 'node:dns';
import type { LookupAll } from '../connector';
import { CERTIFICATE } from './certificate';

/**
 * Replies of a name server: addresses, an error code, or addresses after a delay. One per lookup;
 * the last one is repeated.
 */
export type DnsReply =
  readonly string[] | { error: string } | { delay_ms: number; addresses: readonly string[] };

export function lookupOf(zone: Readonly<Record<string, readonly DnsReply[]>>): LookupAll {
  const counts = new Map<string, number>();
  return (host, _options, callback) => {
    const count = counts.get(host) ?? 0;
    counts.set(host, count + 1);
    const responses = zone[host] ?? [{ error: 'ENOTFOUND' }];
    const response = responses[Math.min(count, responses.length - 1)] ?? [];
    const give = (addresses: readonly string[]): void =>
      callback(
        null,
        addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    if ('error' in response)
      process.nextTick(callback, Object.assign(new Error(response.error), { code: response.error }), []);
    else if ('addresses' in response) setTimeout(give, response.delay_ms, response.addresses).unref();
    else process.nextTick(give, response);
  };
}

/**
 * Replaces the routes to public addresses: records the addresses of each connection and connects to
 * a loopback server instead. Connections to literal loopback addresses are unchanged.
 */
export const routes = { port: 0, tried: [] as string[] };

interface ConnectOptions {
  host: string;
  port: number;
  lookup: Net.LookupFunction;
}

function routed<T extends ConnectOptions>(options: T): T {
  if (options.host === '127.0.0.1') return options;
  options.lookup(options.host, { all: true }, (_error, addresses) => {
    for (const { address } of addresses as LookupAddress[]) routes.tried.push(address);
  });
  const lookup: Net.LookupFunction = (_host, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  return { ...options, port: routes.port, lookup };
}

export const routedNet = (real: typeof Net): typeof Net => ({
  ...real,
  connect: ((options: ConnectOptions) =>
    real.connect(routed(options) as Net.NetConnectOpts)) as typeof Net.connect,
});

export const routedTls = (real: typeof Tls): typeof Tls => ({
  ...real,
  connect: ((options: ConnectOptions & { socket?: unknown }) =>
    real.connect({
      ca: CERTIFICATE,
      ...(options.socket ? options : routed(options)),
    } as Tls.ConnectionOptions)) as typeof Tls.connect,
});
