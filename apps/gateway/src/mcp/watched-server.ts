import type { McpServerDocument } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { UpstreamError } from '@gw/mcp-client';
import { Denied } from './denials';

const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 300_000;

/**
 * Returns the milliseconds until a server is watched again: 1 s to 5 min by the number of failures,
 * plus up to 25% of jitter.
 */
export const retryDelayMs = (failures: number): number =>
  Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(failures, 10)) * (1 + Math.random() / 4);

/**
 * Milliseconds between two checks whether the address or credential of a watched server has
 * changed.
 */
export const CHECK_EVERY_MS = 1_000;

/**
 * Returns the settings that the connections to a server depend on, as a text that can be compared.
 */
export const connectionOf = ({
  url,
  transport,
  authType,
  configurations,
  sealedAuth,
}: McpServerDocument): string => JSON.stringify([url, transport, authType, configurations, sealedAuth]);

/**
 * Ignores the errors that are expected when a server cannot be watched; throws any other error,
 * which is a fault of the gateway.
 */
export function assertExpected(error: unknown): void {
  const isExpected =
    error instanceof UpstreamError || error instanceof Denied || error instanceof GatewayError;
  if (!isExpected) throw error;
}
