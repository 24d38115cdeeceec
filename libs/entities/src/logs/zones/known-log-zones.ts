import { holdsZone, mergeZone, zoneKey, type LogZone } from './log-zone';

/** Some 600 bytes each. */
const KNOWN_MAX = 10_000;
const DAY_MS = 86_400_000;

/**
 * What the zones of today are known to tell, so that nearly all logs of a busy zone cost it nothing. Those of other days may be removed by
 * another process, with their logs, and are never known. At the cap the oldest are forgotten, which costs a statement that changes nothing.
 */
export class KnownLogZones {
  private readonly zones = new Map<string, LogZone>();

  /** Those that must be widened. */
  unknownOf(zones: readonly LogZone[]): LogZone[] {
    return zones.filter((zone) => {
      const known = this.zones.get(zoneKey(zone));
      return known === undefined || !holdsZone(known, zone);
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
      if (known) mergeZone(known, zone);
      else this.zones.set(key, zone);
    }
    for (const [key, { start }] of this.zones) {
      if (start >= today && this.zones.size <= KNOWN_MAX) break;
      this.zones.delete(key);
    }
  }
}
