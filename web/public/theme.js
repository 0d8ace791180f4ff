// Runs before the first paint, so that a dark screen never flashes white.
(function () {
  var choice = null;
  try {
    choice = localStorage.getItem("datapi.theme");
  } catch {
    // Storage may be forbidden: then the system's own choice holds.
  }
  var dark = choice === "dark" || (choice !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("pf-v6-theme-dark", dark);
})();
