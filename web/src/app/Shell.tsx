import {
  Button,
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadLogo,
  MastheadMain,
  MastheadToggle,
  Nav,
  NavGroup,
  NavItem,
  Page,
  PageSidebar,
  PageSidebarBody,
  PageToggleButton,
  SkipToContent,
  Tooltip,
} from "@patternfly/react-core";
import AdjustIcon from "@patternfly/react-icons/dist/esm/icons/adjust-icon";
import MoonIcon from "@patternfly/react-icons/dist/esm/icons/moon-icon";
import SearchIcon from "@patternfly/react-icons/dist/esm/icons/search-icon";
import SunIcon from "@patternfly/react-icons/dist/esm/icons/sun-icon";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { isDoubtful } from "~/api/stream/freshness";
import { useFreshness } from "~/api/stream/useFeed";
import { FreshnessStamp } from "./FreshnessStamp";
import { CommandPalette } from "./palette/CommandPalette";
import { places } from "./places";
import { SignIn } from "./SignIn";
import { chooseTheme, useThemeChoice, type ThemeChoice } from "./theme";

const nextTheme: Record<ThemeChoice, ThemeChoice> = { system: "light", light: "dark", dark: "system" };
const themeIcon = { system: <AdjustIcon />, light: <SunIcon />, dark: <MoonIcon /> };

function ThemeButton() {
  const choice = useThemeChoice();
  const label = `Theme: ${choice}. Change to ${nextTheme[choice]}`;
  return (
    <Tooltip content={label}>
      <Button variant="plain" aria-label={label} icon={themeIcon[choice]} onClick={() => chooseTheme(nextTheme[choice])} />
    </Tooltip>
  );
}

function Brand() {
  return (
    <Link to="/" className="dp-brand" aria-label="datapi, overview">
      <img src="/favicon.svg" alt="" width="26" height="26" />
      <span>datapi</span>
    </Link>
  );
}

const narrow = () => typeof matchMedia === "function" && matchMedia("(max-width: 1199px)").matches;

/** The frame around every screen: where am I, how fresh is it, what can I do. */
export function Shell() {
  const [palette, setPalette] = useState(false);
  const [sidebar, setSidebar] = useState(() => !narrow());
  const path = useRouterState({ select: (state) => state.location.pathname });
  const doubtful = isDoubtful(useFreshness());

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setPalette((open) => !open);
      }
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  useEffect(() => {
    if (narrow()) setSidebar(false);
  }, [path]);

  const masthead = (
    <Masthead className="dp-masthead">
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton
            variant="plain"
            isHamburgerButton
            aria-label="Show or hide the navigation"
            isSidebarOpen={sidebar}
            onSidebarToggle={() => setSidebar((open) => !open)}
          />
        </MastheadToggle>
        <MastheadBrand>
          <MastheadLogo component="div">
            <Brand />
          </MastheadLogo>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <Button variant="tertiary" icon={<SearchIcon />} className="dp-palette-button" aria-label="Find or do something Ctrl K" onClick={() => setPalette(true)}>
          <span className="dp-palette-hint">Find or do something</span> <kbd>Ctrl K</kbd>
        </Button>
        <FreshnessStamp />
        <ThemeButton />
      </MastheadContent>
    </Masthead>
  );

  return (
    <Page
      masthead={masthead}
      sidebar={<Sidebar open={sidebar} path={path} />}
      skipToContent={<SkipToContent href="#main">Skip to the content</SkipToContent>}
      mainContainerId="main"
      isContentFilled
      className={doubtful ? "dp-doubtful" : undefined}
    >
      <Outlet />
      {palette && <CommandPalette onClose={() => setPalette(false)} />}
      <SignIn />
    </Page>
  );
}

function Sidebar({ open, path }: { open: boolean; path: string }) {
  const groups = [...new Set(places.map((place) => place.group))];
  return (
    <PageSidebar isSidebarOpen={open}>
      <PageSidebarBody>
        <Nav aria-label="Screens">
          {groups.map((group) => (
            <NavGroup key={group} title={group}>
              {places
                .filter((place) => place.group === group)
                .map((place) => {
                  const active = place.path === "/" ? path === "/" : path.startsWith(place.path);
                  return (
                    <NavItem key={place.path} isActive={active}>
                      <Link to={place.path} aria-current={active ? "page" : undefined} className="pf-v6-c-nav__link">
                        {place.name}
                      </Link>
                    </NavItem>
                  );
                })}
            </NavGroup>
          ))}
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
}
