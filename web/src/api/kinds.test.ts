import { describe, expect, it } from "vitest";
import { screens } from "~/app/navigation";
import { routes } from "~/app/routes";
import { tabs } from "~/screens/connections/search";
import { testMatrix } from "~/test/matrix";
import { iaWith } from "~/test/samples";
import { kinds, objectPath, objectTypes } from "./kinds";

const paths = Object.values(routes).map((route) => route.fullPath as string);
const withPage = objectTypes.filter((type) => kinds[type].tab === null);

describe("the table of kinds", () => {
  it("has a row for every type of object that the service knows, each with a collection of its own", () => {
    expect([...objectTypes].sort()).toEqual(testMatrix.document.object_types.map(({ type }) => type).sort());
    expect(new Set(objectTypes.map((type) => kinds[type].collection)).size).toBe(objectTypes.length);
  });

  it.each(withPage)("has routes for the list and the pages of %s, and a link in the navigation", (type) => {
    const { collection } = kinds[type];
    expect(paths).toContain(`/${collection}`);
    expect(paths.some((path) => path.startsWith(`/${collection}/$`))).toBe(true);
    expect(screens.map(({ path }) => path as string)).toContain(`/${collection}`);
    expect(objectPath(type, "a@b")).toBe(`/${collection}/a%40b`);
  });

  it("has a tab of the connections screen for each type without pages", () => {
    const others = objectTypes.filter((type) => kinds[type].tab !== null);
    for (const type of others) expect(tabs).toContain(kinds[type].tab);
    expect(objectPath("psp", "p1")).toBe("/connections?tab=psps");
  });

  it("names the collections as the usage of an IA does", () => {
    const collections = objectTypes.map((type) => kinds[type].collection as string);
    for (const counted of Object.keys(iaWith().usage ?? {})) expect(collections).toContain(counted);
  });
});

describe("the navigation", () => {
  it("leads to existing routes only", () => {
    for (const { path } of screens) expect(paths).toContain(path);
  });
});
