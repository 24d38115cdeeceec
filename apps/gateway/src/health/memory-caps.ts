import { totalmem } from 'node:os';

const MIB = 1_048_576;

/**
 * Caps in bytes whose defaults depend on the available memory: a fraction of it (1/`of`), up to
 * `most`.
 */
const PARTS = {
  MAX_BODY_MEMORY: { of: 4, most: 512 * MIB },
  READ_MODEL_MAX_BYTES: { of: 8, most: 256 * MIB },
  CACHE_MAX_BYTES: { of: 16, most: 128 * MIB },
  IDEMPOTENCY_MAX_BYTES: { of: 32, most: 64 * MIB },
} as const;

type Cap = keyof typeof PARTS;

/**
 * Bytes that this process may use: the memory of its container or machine, divided by the processes
 * that share the port.
 */
export function memoryOfProcess(processes: number): number {
  // The limit is 0, or more than the machine has, if none is set.
  const limit = process.constrainedMemory();
  const total = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.floor(total / processes);
}

/**
 * Returns each cap as set, or its default. At 1 GiB all defaults together are less than half of the
 * memory; from 2 GiB on each has its largest value.
 */
export function memoryCaps(
  set: Readonly<Record<Cap, number | null>>,
  available: number,
): Record<Cap, number> {
  const cap = (name: Cap): number =>
    set[name] ?? Math.max(MIB, Math.min(PARTS[name].most, Math.floor(available / PARTS[name].of)));
  return {
    MAX_BODY_MEMORY: cap('MAX_BODY_MEMORY'),
    READ_MODEL_MAX_BYTES: cap('READ_MODEL_MAX_BYTES'),
    CACHE_MAX_BYTES: cap('CACHE_MAX_BYTES'),
    IDEMPOTENCY_MAX_BYTES: cap('IDEMPOTENCY_MAX_BYTES'),
  };
}
