import { describeFault, type Log } from '@gw/web';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LimitAlerts } from '../alerts/limit-alerts';
import { BudgetStates } from './budget-states';
import { LedgerBook } from './ledger-book';

/** Providers of the durable record of budgets and of their status. */
export const ledgerProviders = (log: Log): Provider[] => [
  {
    provide: LedgerBook,
    inject: [DataSource],
    useFactory: (source: DataSource) => new LedgerBook(source),
  },
  {
    provide: BudgetStates,
    inject: [DataSource, LedgerBook, LimitAlerts],
    useFactory: (source: DataSource, book: LedgerBook, alerts: LimitAlerts) => {
      const states = new BudgetStates(source, book, alerts, (error) => {
        log.warn(describeFault(error), 'failed to update the status of a budget');
      });
      book.onTouched = (budgets) => states.touched(budgets);
      return states;
    },
  },
];
