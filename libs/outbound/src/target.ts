import { isIP } from 'node:net';
import { OutboundError } from './types';

/** Where a connection goes. */
export interface Target {
  readonly origin: string;
  readonly isTls: boolean;
  /** Lower case; an IPv6 address without brackets. */
  readonly host: string;
  readonly isLiteral: boolean;
  readonly port: number;
  /** Whose calls go there, where names are looked up for many. */
  readonly owner?: string;
}

/** @throws OutboundError `refused` for anything but scheme, host and port. */
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
    throw new OutboundError('refused', 'The origin must hold only scheme, host and port.');
  }
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  return { origin, isTls, host, isLiteral: isIP(host) !== 0, port };
}

/** `host:port` as CONNECT and the Host header write it. */
export const authorityOf = ({ host, port }: Target): string =>
  `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
