export {
  alertRecipients,
  alertsRaised,
  claimDelivery,
  dropStaleAlerts,
  finishDelivery,
  raiseAlert,
  type DueDelivery,
  type LimitAlert,
} from './alert.queries';
export {
  addBudgetHours,
  dropOldBudgetHours,
  hourOf,
  recentUseOf,
  type BudgetHourRow,
  type RecentUse,
} from './budget-hours.queries';
export { clearBudgetMark, markBudgets, markedBudgets, type BudgetMark } from './budget-marks.queries';
export {
  addHolders,
  forgetHolders,
  PRICE_CORRECTIONS,
  heldBalancesOf,
  type HeldBalance,
  type HolderRow,
} from './ledger-holders.queries';
export {
  claimOnce,
  forgetOnce,
  type RevertedEstimate,
  type OnceClaim,
  type OncePart,
} from './ledger-once.queries';
export {
  addBalances,
  balancesOf,
  type LedgerAmount,
  type LedgerBalance,
  type LedgerRow,
} from './ledger.queries';
