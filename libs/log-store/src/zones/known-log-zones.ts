import { DAY_MS } from '@gw/kernel';
import { holdsZone, loosenZone, mergeZone, zoneKey, type LogZone } from './log-zone';

/** Maximum number of known zones; each takes about 600 bytes. */
const KNOWN_MAX = 10_000;
/**
 * The first widenings of a zone take its exact values. After `EXACT_TIMES` each bound gets a margin
 * of `LOOSE`, after `LOOSE_TIMES` of `LOOSER`, so that a growing zone needs fewer statements.
 */
const EXACT_TIMES = 8;
const LOOSE_TIMES = 16;
const [LOOSE, LOOSER] = [1 / 64, 1 / 8];

interface Known {
  readonly zone: LogZone;
  /** Number of times that the zone was widened. */
  times: number;
}

/**
 * Caches which zones of today are stored, so that most logs of a busy zone need no statement. Zones
 * of other days are not cached, since another process may delete them. Above `KNOWN_MAX` the oldest
 * entries are evicted; an evicted zone costs a statement without effect.
 */
export class KnownLogZones {
  private readonly zones = new Map<string, Known>();

  /**
   * Returns the zones that are not stored as wide as these. Adds a margin to zones that were
   * widened often.
   */
  unknownOf(zones: readonly LogZone[]): LogZone[] {
    return zones.filter((zone) => {
      const cached = this.zones.get(zoneKey(zone));
      if (cached === undefined) return true;
      if (holdsZone(cached.zone, zone)) return false;
      if (cached.times >= EXACT_TIMES)
        loosenZone(zone, cached.zone, cached.times < LOOSE_TIMES ? LOOSE : LOOSER);
      return true;
    });
  }

  /**
   * Empties the cache. Call it after a database error: after a failover the new primary may lack
   * the last commits.
   */
  forget(): void {
    this.zones.clear();
  }

  /** Adds zones to the cache. Call it after the transaction that widened them has committed. */
  add(zones: readonly LogZone[]): void {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    for (const zone of zones) {
      if (zone.start < today) continue;
      const key = zoneKey(zone);
      const cached = this.zones.get(key);
      if (cached === undefined) {
        this.zones.set(key, { zone, times: 1 });
        continue;
      }
      mergeZone(cached.zone, zone);
      cached.times += 1;
    }
    for (const [key, { zone }] of this.zones) {
      if (zone.start >= today && this.zones.size <= KNOWN_MAX) break;
      this.zones.delete(key);
    }
  }
}
