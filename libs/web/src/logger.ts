import { GatewayError } from '@gw/kernel';
import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/**
 * Logs JSON lines. Secrets are removed where a record is built; the redaction here is the second
 * line of defence.
 */
export function createLog(service: string, level = 'info', destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service },
    redact: {
      paths: ['authorization', 'password', 'apiKey', '*.authorization', '*.password', '*.apiKey', 'headers'],
      censor: '[redacted]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

const textAt = (source: object, key: string): Record<string, string> => {
  const value: unknown = Reflect.get(source, key);
  return typeof value === 'string' || typeof value === 'number' ? { [key]: String(value) } : {};
};

/**
 * Returns the facts of an error that may be logged: name, message, stack, code and constraint of
 * the whole chain of causes. `parameters` and `detail` of database drivers contain row values and
 * are left out.
 */
export function describeFault(thrown: unknown, depth = 0): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { fault: typeof thrown };
  const { cause } = thrown;
  return {
    fault: thrown.name,
    message: thrown.message,
    ...textAt(thrown, 'code'),
    ...textAt(thrown, 'constraint'),
    ...(thrown.stack === undefined ? {} : { stack: thrown.stack }),
    ...(thrown instanceof GatewayError && thrown.options.detail ? { detail: thrown.options.detail } : {}),
    ...(cause instanceof Error && depth < 4 ? { cause: describeFault(cause, depth + 1) } : {}),
  };
}

/** Writes Nest's own messages to the same log. Its start-up messages have the level debug. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, context?: unknown): void {
    this.target.debug({ context }, String(message));
  }
  debug(message: unknown, context?: unknown): void {
    this.target.debug({ context }, String(message));
  }
  verbose(message: unknown, context?: unknown): void {
    this.target.trace({ context }, String(message));
  }
  warn(message: unknown, context?: unknown): void {
    this.target.warn({ context }, String(message));
  }
  error(message: unknown, ...details: unknown[]): void {
    const fault = message instanceof Error ? describeFault(message) : {};
    this.target.error(
      { ...fault, context: details.at(-1) },
      message instanceof Error ? 'fault' : String(message),
    );
  }
  fatal(message: unknown, ...details: unknown[]): void {
    this.error(message, ...details);
  }
}
