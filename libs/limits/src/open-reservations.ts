import { DAY_MS } from '@gw/kernel';
import { HOLDER_RUN_MS } from './counter-store';
import type { Reservation } from './reservation';

/**
 * A holder name is used for as long as something may be charged under it: the time of a name, this
 * time and `HOLDER_RUN_MS` together are the two days for which the record lists it as recent.
 */
const POSTPONED_MAX_MS = DAY_MS;
/** Maximum number of reservations that one tick abandons. */
const ABANDONED_PER_TICK = 1_000;
/** Maximum number of abandoned reservations whose late charges reach the counters. */
const ABANDONED_MAX = 10_000;

/**
 * Reservations that are not settled. Their leases stay reported, so that the counters learn of each
 * charge: also those of abandoned reservations, for `HOLDER_RUN_MS` after their last use.
 */
export class OpenReservations {
  private readonly open = new ReservationList();
  private readonly abandoned = new ReservationList();

  /** Number of reservations that are not abandoned. */
  get size(): number {
    return this.open.size;
  }

  /** Returns the reservation. */
  add(reservation: Reservation): Reservation {
    this.open.add(reservation);
    return reservation;
  }

  /**
   * Notes that a part of a reservation was charged, which postpones its abandonment: for at most
   * `POSTPONED_MAX_MS` after its admission.
   */
  used(reservation: Reservation, nowMs: number): void {
    if (reservation.state !== 'open' || nowMs - reservation.admittedAt > POSTPONED_MAX_MS) return;
    reservation.usedAt = nowMs;
    this.open.remove(reservation);
    this.open.add(reservation);
  }

  /** Frees what is left of a reservation and settles it. Call it once for each reservation. */
  settle(reservation: Reservation): void {
    const { state } = reservation;
    if (state === 'open') this.free(reservation);
    else if (state === 'abandoned') this.abandoned.remove(reservation);
    if (state !== 'forgotten') letGo(reservation);
    reservation.state = 'settled';
  }

  /** Frees and returns reservations that were not used for `maxMs`; the next call takes the rest. */
  abandon(nowMs: number, maxMs: number): readonly Reservation[] {
    const found: Reservation[] = [];
    while (found.length < ABANDONED_PER_TICK) {
      const oldest = this.open.oldest();
      if (oldest === null || oldest.usedAt > nowMs - maxMs) break;
      this.free(oldest);
      oldest.state = 'abandoned';
      this.abandoned.add(oldest);
      found.push(oldest);
    }
    this.forget(nowMs - HOLDER_RUN_MS);
    return found;
  }

  private free(reservation: Reservation): void {
    const { leases, amounts } = reservation;
    for (let index = 0; index < amounts.length; index += 1) {
      const lease = leases[index];
      const amount = amounts[index] ?? 0;
      if (lease === undefined || amount === 0) continue;
      lease.inFlight -= amount;
      lease.free += amount;
      amounts[index] = 0;
    }
    this.open.remove(reservation);
  }

  private forget(before: number): void {
    for (let oldest = this.abandoned.oldest(); oldest !== null; oldest = this.abandoned.oldest()) {
      if (oldest.usedAt > before && this.abandoned.size <= ABANDONED_MAX) return;
      this.abandoned.remove(oldest);
      letGo(oldest);
      oldest.state = 'forgotten';
    }
  }
}

function letGo({ leases }: Reservation): void {
  for (const lease of leases) lease.chargeable -= 1;
}

/**
 * A linked list, least recently added first, so that reservations that were never settled are found
 * without a search. A reservation is in at most one list.
 */
class ReservationList {
  private first: Reservation | null = null;
  private last: Reservation | null = null;
  size = 0;

  add(reservation: Reservation): void {
    reservation.previous = this.last;
    if (this.last) this.last.next = reservation;
    else this.first = reservation;
    this.last = reservation;
    this.size += 1;
  }

  remove(reservation: Reservation): void {
    const { previous, next } = reservation;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.last = previous;
    reservation.previous = null;
    reservation.next = null;
    this.size -= 1;
  }

  oldest(): Reservation | null {
    return this.first;
  }
}
