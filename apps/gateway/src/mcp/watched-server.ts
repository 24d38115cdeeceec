import type { McpServerDocument } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { UpstreamError } from '@gw/mcp-client';
import { Denied } from './denials';

const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 300_000;

/** Wait before a server is watched again, in milliseconds: 1 s to 5 min, spread over a quarter of it. */
export const watchedAgainMs = (failures: number): number =>
  Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(failures, 10)) * (1 + Math.random() / 4);

/** How soon a watch follows a server whose address or credential has changed. */
export const CHECK_EVERY_MS = 1_000;

/** All of a document that its connections depend on. */
export const connectionOf = ({
  url,
  transport,
  authType,
  configurations,
  sealedAuth,
}: McpServerDocument): string => JSON.stringify([url, transport, authType, configurations, sealedAuth]);

/** Whether a server that cannot be watched now failed; throws what is a fault of the gateway. */
export function assertOfServer(error: unknown): void {
  const isExpected =
    error instanceof UpstreamError || error instanceof Denied || error instanceof GatewayError;
  if (!isExpected) throw error;
}
