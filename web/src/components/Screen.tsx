import { Breadcrumb, BreadcrumbItem, Content, PageSection, Title } from "@patternfly/react-core";
import { Link } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import "./Screen.css";

interface Props {
  title: ReactNode;
  /** The title of the window; the same as `title` where that is a text. */
  windowTitle?: string;
  /** One sentence on what is found here. */
  about?: ReactNode;
  trail?: readonly { to: string; name: string }[];
  actions?: ReactNode;
  /** Fills the window's height, for a grid that scrolls by itself. */
  fill?: boolean;
  children: ReactNode;
}

/** A screen: where it lies, what it is called, what can be done, and its content. */
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
