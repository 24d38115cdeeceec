// Exports of the app for pages. Pages import routes from `app/routes` and the type of navigation
// entries from `app/page-entry`.
export { GoLink } from './shell/go-link';
export { isWorthTrying } from './queries';
export { usePageIsRead } from './shell/use-page-is-read';
export { inWorkspace, useGoTo } from './shell/addresses';
export { refusalOf, useCan, useRefusal, type Refusal } from './state/access';
export { Can } from './state/can';
export { WhyNot } from './state/why-not';
export { changePreferences, usePreferences, useZone, type Preferences } from './state/preferences';
export {
  useBootstrap,
  useSelf,
  useSessionFacts,
  useWorkspace,
  useWorkspaceOrNull,
  type Bootstrap,
  type Permissions,
  type Self,
  type Workspace,
} from './state/session-context';
