import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { connect as netConnect, isIP, type LookupFunction, type OnReadOpts, type Socket } from 'node:net';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import type { AddressPolicy } from '@gw/kernel';
import { abortReason, orAbort } from './abort';
import { connectFailed } from './failures';
import type { Proxy, ProxySelector } from './proxy';
import type { Target } from './target';
import { tunnel } from './tunnel';
import { OutboundError } from './types';

/** The signature of `lookup` in `node:dns` with `all: true`. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
  /** The owner of the lookup, for fair sharing. */
  owner?: string,
) => void;

/** The last TLS session of a pool, which its next connection resumes. */
export interface TlsMemory {
  session?: Buffer;
}

/** Receives the first `length` bytes of `bytes`, which are valid only until it returns. */
export type OnRead = (length: number, bytes: Buffer) => void;

/**
 * A buffer that all connections share for reading, so that no read allocates. Its content is copied
 * before the next read. This is safe because libuv requests the buffer, reads into it and reports
 * the read in one step, one socket after the other. TLS sockets copy decrypted bytes into it in the
 * same way.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** Maximum addresses to which a connection is attempted. All addresses are checked. */
const ADDRESSES_MAX = 8;
const NEXT_ADDRESS_AFTER_MS = 500;
const TCP_KEEP_ALIVE_MS = 60_000;

/**
 * Opens connections that the address policy allows. Each connection resolves and checks the name
 * again, and uses only the addresses that were checked.
 * With a proxy, the target is checked in the same way first, but the proxy resolves the name. A
 * name that only the proxy can resolve is checked by its text. The proxy's own address is set by
 * the operator and not checked.
 */
export class Connector {
  /** Lookups in flight, by owner and name. */
  private readonly lookups = new Map<string, Promise<LookupAddress[]>>();

  constructor(
    private readonly policy: AddressPolicy,
    private readonly proxyFor: ProxySelector,
    private readonly lookup: LookupAll = dnsLookup,
  ) {}

  /**
   * Returns the proxy that receives requests for `target` in absolute form; null if the connection
   * ends at the target.
   */
  absoluteFormProxy(target: Target): Proxy | null {
    return target.isTls ? null : this.proxyFor(target);
  }

  /**
   * Opens a connected socket, after the TLS handshake for https. `signal` aborts at once. With a
   * proxy, a `tunnelled` socket ends at the target; without a tunnel, which only http allows, it
   * ends at the proxy, which needs requests in absolute form.
   * @throws OutboundError `refused` or `unreachable`.
   */
  openSocket(
    target: Target,
    memory: TlsMemory,
    signal: AbortSignal,
    tunnelled: boolean = target.isTls,
  ): Promise<Socket> {
    return this.open(target, memory, signal, tunnelled, null);
  }

  /**
   * Opens a socket like `openSocket`, but passes the bytes that it reads to `onRead` instead of
   * emitting them. `pause` and `resume` work as for `data` events.
   * @throws OutboundError `refused` or `unreachable`.
   */
  openReading(target: Target, memory: TlsMemory, signal: AbortSignal, onRead: OnRead): Promise<Socket> {
    return this.open(target, memory, signal, target.isTls, onRead);
  }

  private async open(
    target: Target,
    memory: TlsMemory,
    signal: AbortSignal,
    tunnelled: boolean,
    onRead: OnRead | null,
  ): Promise<Socket> {
    try {
      const proxy = this.proxyFor(target);
      const addresses = await this.checkedAddresses(target, proxy !== null, signal);
      if (!proxy) {
        const options = direct(target, addresses, onRead);
        return await (target.isTls ? openTls(target, options, memory, signal) : openTcp(options, signal));
      }
      if (!tunnelled) return await this.openProxy(proxy.target, signal, onRead);
      const toProxy = await this.openProxy(proxy.target, signal, null);
      const through = await tunnel(toProxy, proxy, target, signal);
      const socket = target.isTls ? await openTls(target, { socket: through }, memory, signal) : through;
      // A socket over another one cannot use the shared buffer.
      if (onRead) socket.on('data', (bytes: Buffer) => onRead(bytes.length, bytes));
      return socket;
    } catch (error) {
      if (error instanceof OutboundError) throw error;
      throw connectFailed(error, target.isTls);
    }
  }

  /**
   * Resolves and checks the addresses of the target.
   * @throws OutboundError `refused` when the URL or any resolved address is forbidden.
   */
  private async checkedAddresses(
    target: Target,
    isProxied: boolean,
    signal: AbortSignal,
  ): Promise<LookupAddress[]> {
    const verdict = this.policy.checkUrl(target.origin);
    if (!verdict.ok) throw new OutboundError('refused', verdict.rule);
    if (target.isLiteral) return [{ address: target.host, family: isIP(target.host) }];
    const resolved = await orAbort(this.resolve(target.host, target.owner), signal).catch(
      (error: unknown) => {
        if (isProxied && !signal.aborted) return [];
        throw error;
      },
    );
    for (const { address } of resolved) {
      const allowed = this.policy.checkAddress(address, target.host);
      if (!allowed.ok) throw new OutboundError('refused', allowed.rule);
    }
    if (resolved.length === 0 && !isProxied) {
      throw new OutboundError('unreachable', 'The host name has no address.', null, {
        reason: 'name_not_resolved',
      });
    }
    return resolved;
  }

  /**
   * Resolves a name with one lookup at a time for each owner. A burst of new connections does not
   * fill the queue of the thread pool, and no owner waits for the lookups of another one.
   */
  private resolve(host: string, owner = ''): Promise<LookupAddress[]> {
    const key = `${owner} ${host}`;
    const pending = this.lookups.get(key);
    if (pending) return pending;
    const started = new Promise<LookupAddress[]>((resolve, reject) => {
      const found: Parameters<LookupAll>[2] = (error, addresses) => {
        if (error) {
          const message = `The host name could not be resolved (${error.code ?? 'unknown'}).`;
          reject(
            new OutboundError('unreachable', message, null, { cause: error, reason: 'name_not_resolved' }),
          );
        } else {
          resolve(addresses);
        }
      };
      this.lookup(host, { all: true }, found, owner);
    });
    this.lookups.set(key, started);
    const forget = (): void => void this.lookups.delete(key);
    started.then(forget, forget);
    return started;
  }

  private async openProxy(proxy: Target, signal: AbortSignal, onRead: OnRead | null): Promise<Socket> {
    const addresses = proxy.isLiteral
      ? [{ address: proxy.host, family: isIP(proxy.host) }]
      : await orAbort(this.resolve(proxy.host), signal);
    const options = direct(proxy, addresses, onRead);
    return proxy.isTls ? openTls(proxy, options, {}, signal) : openTcp(options, signal);
  }
}

interface DirectOptions {
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
  readonly autoSelectFamily: true;
  readonly autoSelectFamilyAttemptTimeout: number;
  readonly onread?: OnReadOpts;
}

function direct(
  { host, port }: Target,
  addresses: readonly LookupAddress[],
  onRead: OnRead | null,
): DirectOptions {
  const pinned = addresses.slice(0, ADDRESSES_MAX);
  return {
    host,
    port,
    lookup: (_host, options, callback) => {
      const [first] = pinned;
      if (options.all === true) callback(null, pinned);
      else callback(null, first?.address ?? '', first?.family ?? 0);
    },
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    ...(onRead ? { onread: sharedBuffer(onRead) } : {}),
  };
}

const sharedBuffer = (onRead: OnRead): OnReadOpts => ({
  buffer: READ_BUFFER,
  callback: (length) => {
    onRead(length, READ_BUFFER);
    return true;
  },
});

function openTcp(options: DirectOptions, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  return established(netConnect(options), 'connect', signal);
}

async function openTls(
  target: Target,
  via: DirectOptions | { socket: Socket },
  memory: TlsMemory,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const socket: TLSSocket = tlsConnect({
    ...via,
    servername: target.isLiteral ? '' : target.host,
    // Without a server name, the certificate is still checked against the address.
    host: target.host,
    ALPNProtocols: ['http/1.1'],
    ...(memory.session ? { session: memory.session } : {}),
  });
  socket.on('session', (session: Buffer) => {
    memory.session = session;
  });
  return established(socket, 'secureConnect', signal);
}

function established(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null): void => {
      signal.removeEventListener('abort', onAbort);
      socket.off(event, onReady).off('close', onClose);
      if (error) {
        // Keep the error listener, because a socket may emit an error while it is destroyed.
        socket.destroy();
        reject(error);
      } else {
        socket.off('error', settle);
        resolve(socket);
      }
    };
    const onReady = (): void => settle(null);
    const onClose = (): void => settle(new Error('closed'));
    const onAbort = (): void => settle(abortReason(signal));
    socket.once(event, onReady).once('close', onClose).on('error', settle);
    signal.addEventListener('abort', onAbort);
  });
}
