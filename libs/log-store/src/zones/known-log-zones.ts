import { DAY_MS } from '@gw/kernel';
import { holdsZone, loosenZone, mergeZone, zoneKey, type LogZone } from './log-zone';

/** Some 600 bytes each. */
const KNOWN_MAX = 10_000;
/** How many times a zone is widened to just what its logs have; from then on by a part of its bounds beyond it, so that few outliers are mistaken. */
const EXACT_TIMES = 8;
const LOOSE_TIMES = 16;
const [LOOSE, LOOSER] = [1 / 64, 1 / 8];

interface Known {
  readonly zone: LogZone;
  /** It was widened. */
  times: number;
}

/**
 * Zones of today that are known to be stored, so that most logs of a busy zone need no statement.
 * Zones of other days may be deleted by another process and are never kept. A zone that is widened
 * repeatedly is widened by more than needed. At the cap the oldest entries are evicted, which costs
 * a statement without effect.
 */
export class KnownLogZones {
  private readonly zones = new Map<string, Known>();

  /** Zones that must be widened. */
  unknownOf(zones: readonly LogZone[]): LogZone[] {
    return zones.filter((zone) => {
      const known = this.zones.get(zoneKey(zone));
      if (known === undefined) return true;
      if (holdsZone(known.zone, zone)) return false;
      if (known.times >= EXACT_TIMES)
        loosenZone(zone, known.zone, known.times < LOOSE_TIMES ? LOOSE : LOOSER);
      return true;
    });
  }

  /** After a fault of the database, which may be another one by now that lost what was last committed. */
  forget(): void {
    this.zones.clear();
  }

  /** They were widened, and that is committed. */
  add(zones: readonly LogZone[]): void {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    for (const zone of zones) {
      if (zone.start < today) continue;
      const key = zoneKey(zone);
      const known = this.zones.get(key);
      if (known === undefined) {
        this.zones.set(key, { zone, times: 1 });
        continue;
      }
      mergeZone(known.zone, zone);
      known.times += 1;
    }
    for (const [key, { zone }] of this.zones) {
      if (zone.start >= today && this.zones.size <= KNOWN_MAX) break;
      this.zones.delete(key);
    }
  }
}
