export { ConflictDialog } from './conflict-dialog';
export { isMasked, type MergedLeaf } from './merge';
export {
  useResourceForm,
  type FormConflict,
  type ResourceForm,
  type ResourceFormOptions,
} from './use-resource-form';
export { LeaveGuard } from './leave-guard';
