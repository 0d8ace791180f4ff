import { Breadcrumb, BreadcrumbItem, Content, PageSection, Title } from "@patternfly/react-core";
import { Link } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import "./Screen.css";

interface Props {
  title: ReactNode;
  /** The title of the browser window; needed only if `title` is not a text. */
  windowTitle?: string;
  /** A line below the title. */
  about?: ReactNode;
  trail?: readonly { to: string; name: string }[];
  actions?: ReactNode;
  /** Fills the height of the window, for content that scrolls by itself. */
  fill?: boolean;
  children: ReactNode;
}

/** The frame of a screen: breadcrumb, title, actions, content. */
export function Screen({ title, windowTitle, about, trail, actions, fill, children }: Props) {
  const named = windowTitle ?? (typeof title === "string" ? title : "");
  useEffect(() => {
    document.title = named ? `${named} · datapi` : "datapi";
  }, [named]);
  return (
    <>
      <PageSection className="dp-head" hasBodyWrapper={false}>
        {trail && (
          <Breadcrumb>
            {trail.map((step) => (
              <BreadcrumbItem key={step.to} render={({ className }) => <Link to={step.to} className={className}>{step.name}</Link>} />
            ))}
            <BreadcrumbItem isActive>{named}</BreadcrumbItem>
          </Breadcrumb>
        )}
        <div className="dp-headline">
          <Title headingLevel="h1" size="2xl">
            {title}
          </Title>
          {actions && <div className="dp-actions">{actions}</div>}
        </div>
        {about && <Content className="dp-about">{about}</Content>}
      </PageSection>
      <PageSection className={fill ? "dp-content dp-fill" : "dp-content"} hasBodyWrapper={false} isFilled={fill}>
        {children}
      </PageSection>
    </>
  );
}
