import { useLayoutEffect, type ReactElement, type ReactNode } from 'react';
import { uiText } from '../../messages/en/ui';
import { ErrorBoundary } from './error-boundary';
import { Updating } from './states';

export interface PageProps {
  /** Heading of the page and title of the document. Must not contain bodies or secrets. */
  readonly title: string;
  /** Content next to the title, such as a badge. */
  readonly badge?: ReactNode;
  /** Actions at the right, the primary one last. */
  readonly actions?: ReactNode;
  readonly updating?: boolean;
  /** `full` fills the height, and the parts of the page scroll. */
  readonly layout?: 'scroll' | 'full';
  readonly children: ReactNode;
}

/** Frame of a page with a header and content. */
export function Page({
  title,
  badge,
  actions,
  updating = false,
  layout = 'scroll',
  children,
}: PageProps): ReactElement {
  // Set in the same commit as the content, so that title and content always match.
  useLayoutEffect(() => {
    document.title = uiText.states.documentTitle(title);
  }, [title]);
  return (
    <div className={`page page-${layout}`}>
      <Updating active={updating} />
      <header className="page-header">
        <h1>{title}</h1>
        {badge}
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      <ErrorBoundary resetKey={title}>{children}</ErrorBoundary>
    </div>
  );
}

export interface PaneProps {
  readonly title?: ReactNode;
  /** Accessible name; needed when the title is not a string. */
  readonly label?: string;
  readonly actions?: ReactNode;
  readonly footer?: ReactNode;
  /** `flush` lets the content reach the edges, as for tables. */
  readonly padding?: 'normal' | 'flush';
  readonly updating?: boolean;
  readonly className?: string;
  /** A change of this value clears an error and renders the content again. */
  readonly resetKey?: unknown;
  readonly children: ReactNode;
}

/** A card with its own error boundary. */
export function Pane(props: PaneProps): ReactElement {
  const {
    title,
    label,
    actions,
    footer,
    padding = 'normal',
    updating = false,
    className = '',
    resetKey,
    children,
  } = props;
  const name = label ?? (typeof title === 'string' ? title : undefined);
  return (
    <section className={`pane ${className}`} aria-label={name}>
      <Updating active={updating} />
      {title === undefined && actions === undefined ? null : (
        <header className="pane-header">
          {title === undefined ? null : <h2>{title}</h2>}
          {actions === undefined ? null : <div className="pane-actions">{actions}</div>}
        </header>
      )}
      <div className={`pane-body pane-body-${padding}`}>
        <ErrorBoundary resetKey={resetKey}>{children}</ErrorBoundary>
      </div>
      {footer === undefined ? null : <footer className="pane-footer">{footer}</footer>}
    </section>
  );
}
