import { plural } from '../plural';

/** Texts of every form that changes a saved resource. */
export const forms = {
  save: (fields: number) => `Save ${plural(fields, { one: 'change', other: 'changes' })}`,
  nothing: 'Nothing was changed.',
  reset: 'Give up changes',
  undo: 'Undo',
  saved: 'Saved.',
  leaveTitle: 'Leave without saving?',
  leaveLead: 'What you entered here is lost: forms with secrets are not kept.',
  stay: 'Stay',
  leave: 'Leave',
  restored: 'What you had entered here before is restored.',
};
