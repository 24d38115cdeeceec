import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactElement, ReactNode } from 'react';
import { useGoTo, withoutSlash } from './addresses';

interface GoLinkProps {
  /** Address below the console's base, such as `/w/search/logs?log=01a2`. */
  readonly to: string;
  readonly className?: string;
  /** True when the link points to the open page. */
  readonly isCurrent?: boolean;
  readonly children: ReactNode;
}

const opensElsewhere = (event: MouseEvent): boolean =>
  event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;

/** A link to a page by its address. It needs no import of the target page's route. */
export function GoLink({ to, className, isCurrent = false, children }: GoLinkProps): ReactElement {
  const router = useRouter();
  const goTo = useGoTo();
  return (
    <a
      href={withoutSlash(router.basepath) + to}
      className={className}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        if (opensElsewhere(event)) return;
        event.preventDefault();
        goTo(to);
      }}
    >
      {children}
    </a>
  );
}
