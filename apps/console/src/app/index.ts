// What pages use of the app. Routes come from `app/routes`, the navigation's type from `app/page-entry`.
export { useCan, useRefusal, type Refusal } from './state/access';
export { changePreferences, usePreferences, useZone, type Preferences } from './state/preferences';
export {
  useSelf,
  useWorkspace,
  useWorkspaceOrNull,
  type Self,
  type Workspace,
} from './state/session-context';
