import { useNavigate } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, MouseEvent } from "react";

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "onClick"> {
  /** An address on the page that is known only when it is drawn. */
  href: string;
}

/**
 * A plain anchor that the router takes over at the click: a grid draws hundreds of these while it scrolls, and the
 * router's own link works out its place among the routes each time.
 */
export function PageLink({ href, children, ...anchor }: Props) {
  const navigate = useNavigate();
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({ href });
  };
  return (
    <a href={href} onClick={follow} {...anchor}>
      {children}
    </a>
  );
}
