(function () {
  var slider = document.getElementById("slider");
  var values = document.getElementById("values");
  var rows = values ? JSON.parse(values.textContent) : [];
  function show() {
    var row = rows[Number(slider.value)];
    document.getElementById("chosen").textContent = row.confidence;
    document.getElementById("result").textContent = row.shown;
    if (document.getElementById("vote")) { document.getElementById("vote").textContent = row.vote_shown; }
    slider.setAttribute("aria-valuetext", "confidence " + row.confidence + ", " + slider.dataset.noun + " at most " + row.shown);
  }
  if (slider) {
    slider.value = slider.defaultValue;
    slider.addEventListener("input", show);
    show();
  }
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (each) { each.open = true; });
  });
})();
