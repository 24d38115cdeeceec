import { GatewayError } from '@gw/kernel';
import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** JSON lines. Secrets are left out where a record is made; the redaction is the second net. */
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
 * The facts of a fault that may be logged: name, message, stack, code and constraint down the chain of causes. A database
 * driver's `parameters` and `detail` hold values of rows and stay out.
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

/** Nest's own messages, in the same log. Its start-up chatter is for debugging. */
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
