import { isIP } from 'node:net';
import { OutboundError } from './types';

/** The destination of a connection. */
export interface Target {
  readonly origin: string;
  readonly isTls: boolean;
  /** Lower case; an IPv6 address without brackets. */
  readonly host: string;
  readonly isLiteral: boolean;
  readonly port: number;
  /** The owner of the DNS lookup, for fair sharing. */
  readonly owner?: string;
}

/**
 * Parses an origin.
 * @throws OutboundError `refused` for anything but scheme, host and port.
 */
export function parseTarget(origin: string): Target {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  const isTls = url?.protocol === 'https:';
  if (
    !url ||
    (!isTls && url.protocol !== 'http:') ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new OutboundError('refused', 'The origin must consist of scheme, host and port only.');
  }
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  return { origin, isTls, host, isLiteral: isIP(host) !== 0, port };
}

/** Returns `host:port` as in CONNECT and the `host` header. */
export const authorityOf = ({ host, port }: Target): string =>
  `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
