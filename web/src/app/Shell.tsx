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
import { useEffect, useEffectEvent, useState } from "react";
import { isDoubtful } from "~/api/stream/freshness";
import { useFreshness } from "~/api/stream/useFeed";
import { Account } from "./Account";
import { FreshnessStamp } from "./FreshnessStamp";
import { DialogBoundary } from "~/components/action/DialogBoundary";
import { MatrixGate } from "./MatrixGate";
import { screens } from "./navigation";
import { CommandPalette } from "./palette/CommandPalette";
import { SignIn } from "./SignIn";
import { chooseTheme, useThemeChoice, type ThemeChoice } from "./theme";
import "./Shell.css";

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

/** The frame around every screen: masthead, navigation, palette, sign-in. */
export function Shell() {
  const [palette, setPalette] = useState(false);
  const [sidebar, setSidebar] = useState(() => !isNarrow());
  const path = useRouterState({ select: (state) => state.location.pathname });
  const doubtful = isDoubtful(useFreshness());
  const closePalette = () => setPalette(false);
  usePaletteKey(() => setPalette((open) => !open));

  useEffect(() => {
    if (isNarrow()) setSidebar(false);
  }, [path]);

  return (
    <Page
      masthead={<Header sidebar={sidebar} onSidebar={() => setSidebar((open) => !open)} onPalette={() => setPalette(true)} />}
      sidebar={<Sidebar open={sidebar} path={path} />}
      skipToContent={<SkipToContent href="#main">Skip to the content</SkipToContent>}
      mainContainerId="main"
      isContentFilled
      className={doubtful ? "dp-doubtful" : undefined}
    >
      <MatrixGate>
        <Outlet />
      </MatrixGate>
      {palette && (
        <DialogBoundary onClose={closePalette}>
          <CommandPalette onClose={closePalette} />
        </DialogBoundary>
      )}
      <SignIn />
    </Page>
  );
}

const isNarrow = () => typeof matchMedia === "function" && matchMedia("(max-width: 1199px)").matches;

/** Calls toggle on Ctrl+K or Command+K. */
function usePaletteKey(toggle: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    toggle();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}

interface HeaderProps {
  sidebar: boolean;
  onSidebar: () => void;
  onPalette: () => void;
}

function Header({ sidebar, onSidebar, onPalette }: HeaderProps) {
  return (
    <Masthead className="dp-masthead">
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton
            variant="plain"
            isHamburgerButton
            aria-label="Show or hide the navigation"
            isSidebarOpen={sidebar}
            onSidebarToggle={onSidebar}
          />
        </MastheadToggle>
        <MastheadBrand>
          <MastheadLogo component="div">
            <Brand />
          </MastheadLogo>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <Button variant="tertiary" icon={<SearchIcon />} className="dp-palette-button" aria-label="Find or do something Ctrl K" onClick={onPalette}>
          <span className="dp-palette-hint">Find or do something</span> <kbd>Ctrl K</kbd>
        </Button>
        <FreshnessStamp />
        <Account />
        <ThemeButton />
      </MastheadContent>
    </Masthead>
  );
}

function Sidebar({ open, path }: { open: boolean; path: string }) {
  const groups = [...new Set(screens.map((screen) => screen.group))];
  return (
    <PageSidebar isSidebarOpen={open}>
      <PageSidebarBody>
        <Nav aria-label="Screens">
          {groups.map((group) => (
            <NavGroup key={group} title={group}>
              {screens
                .filter((screen) => screen.group === group)
                .map((screen) => {
                  const active = screen.path === "/" ? path === "/" : path.startsWith(screen.path);
                  return (
                    <NavItem key={screen.path} isActive={active}>
                      <Link to={screen.path} aria-current={active ? "page" : undefined} className="pf-v6-c-nav__link">
                        {screen.name}
                      </Link>
                    </NavItem>
                  );
                })}
            </NavGroup>
          ))}
          <NavGroup title="Documentation">
            <NavItem to="/docs">API</NavItem>
            <NavItem to="/docs/">Guides</NavItem>
          </NavGroup>
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
}
