import type { ChargeRecord } from '@gw/contracts';
import { claimOnce, type LogEntry, type OnceClaim } from '@gw/entities';
import type { EntityManager } from 'typeorm';

/** Of one record; a gateway makes one. */
const CLAIMS_MAX = 4;
const NAME_LENGTH_MAX = 512;

/** The records as they are stored: what another record has charged before is free in those that tell of it again. */
export async function chargedOnce(
  manager: EntityManager,
  entries: readonly LogEntry[],
): Promise<readonly LogEntry[]> {
  const claims = entries.flatMap(claimsOf);
  if (claims.length === 0) return entries;
  const held = new Set((await claimOnce(manager, claims)).map(placeOf));
  return entries.map((entry) =>
    claimsOf(entry).every((claim) => held.has(placeOf(claim))) ? entry : free(entry),
  );
}

function claimsOf({ row }: LogEntry): OnceClaim[] {
  const { organisation_id: organisationId, decision, id: logId } = row;
  const charges: unknown = decision.charges;
  if (organisationId === null || !Array.isArray(charges)) return [];
  return charges
    .flatMap((charge: unknown) => {
      const name = onceOf(charge);
      return name === null ? [] : [{ organisationId, name, logId }];
    })
    .slice(0, CLAIMS_MAX);
}

function onceOf(charge: unknown): string | null {
  if (typeof charge !== 'object' || charge === null) return null;
  const { once } = charge as { once?: unknown };
  return typeof once === 'string' && once.length <= NAME_LENGTH_MAX ? once.replaceAll('\0', '\uFFFD') : null;
}

/** Without its use, and without the charges of it. */
const free = (entry: LogEntry): LogEntry => ({
  ...entry,
  row: {
    ...entry.row,
    ...NOTHING,
    decision: {
      ...entry.row.decision,
      price: null,
      charges: (entry.row.decision.charges as readonly ChargeRecord[]).filter(
        (charge) => onceOf(charge) === null,
      ),
    },
  },
});

const NOTHING = {
  cost: 0,
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  input_audio_tokens: 0,
  output_audio_tokens: 0,
};

const placeOf = ({ organisationId, name, logId }: OnceClaim): string => `${organisationId} ${name} ${logId}`;
