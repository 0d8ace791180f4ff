import { useNavigate } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, MouseEvent } from "react";

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "onClick"> {
  /** An address on the page. */
  href: string;
}

/**
 * A link to an address that is known only at run time. It is a plain anchor, and the router navigates on a click: a
 * grid draws hundreds of links while it scrolls, and the router's own Link matches the routes each time it is drawn.
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
