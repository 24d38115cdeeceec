export { csvText } from './csv';
export { duration, durationChange, spanOf } from './durations';
export { ID_SHOWN, shortId } from './ids';
export {
  bothZones,
  clock,
  clockMinutes,
  clockSeconds,
  date,
  dayAndMonth,
  dayKey,
  dayRule,
  moment,
  momentWithZone,
  parseMoment,
  relative,
} from './moments';
export {
  E8_PER_USD,
  e8OfCents,
  e8OfUsd,
  exactMoney,
  exactMoneyText,
  humanMoney,
  parseE8,
  parseExactMoney,
  pricePerMillion,
  type ExactMoney,
  type Priced,
} from './money';
export {
  MINUS,
  bytes,
  change,
  compactCount,
  count,
  directionOf,
  grouped,
  percent,
  plain,
  separators,
  unknown,
} from './numbers';
export {
  addDays,
  hasClockChange,
  OWN_ZONE,
  isZone,
  momentOf,
  offsetAt,
  offsetName,
  startOfDay,
  viewerZone,
  zoneName,
  wallTime,
  weekdayOf,
  type WallTime,
  type Zone,
} from './zones';
