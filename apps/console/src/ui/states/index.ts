export { ErrorBoundary } from './error-boundary';
export { Failed, type FailedProps, type ShownProblem } from './failed';
export { Loaded, type LoadedProps, type LoadedQuery } from './loaded';
export { Page, Pane, type PageProps, type PaneProps } from './page';
export { Skeletons, type SkeletonsProps } from './skeletons';
export {
  Empty,
  Gone,
  NotAllowed,
  Part,
  Stale,
  Updating,
  type EmptyProps,
  type GoneProps,
  type NotAllowedProps,
  type PartProps,
  type StaleProps,
} from './states';
